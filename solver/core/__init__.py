"""What all solvers share: compiling, checks, steps, certificates, traces, many classes."""
