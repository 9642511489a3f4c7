"""Support vector machines: SMO with its certificate, shorter ways to the same optimum, and projected gradient ascent.

Labelled points come in; support vectors with their multipliers, and a certificate, go out.  Read `smo` first, which has
the mathematics, then `svc`.
"""
