"""Bars around the pictures: commands, classes, data set and tool options above, tools at the left."""
