"""Linear learners: the perceptron with its bound on mistakes, and Pegasos with its duality gap.

Labelled points come in; weights, an intercept and a certificate go out.  Read `classifiers` first, then `perceptron`
and `pegasos`.
"""
