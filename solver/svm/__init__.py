"""Support vector machines: SMO, an active set method, projected gradient."""
