"""Online support vector machines: LASVM, which takes points one by one and keeps those that it may need.

Labelled points come in, all at once or batch by batch; support vectors with their multipliers go out.  Read `lasvm`
first, then `online_svc`.
"""
