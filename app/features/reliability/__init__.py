"""Reliability: predicted against observed shares of each classifier, on points that it was not trained on."""
