"""Support vector machines: SMO, interior point method, projected gradient."""
