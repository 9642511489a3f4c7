"""Linear learners: perceptron and Pegasos."""
