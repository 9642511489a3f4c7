"""Base of all learners: checks of data, stepped solvers, certificates, and many classes as binary problems.

Learners bring data and parameters; checked arrays, a trainer that can be stepped, and certificates go out.  Read
`stepping` and `dual_solver` first about solvers, `estimator` and `binary_reduction` about classifiers.
"""
