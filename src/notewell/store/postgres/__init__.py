"""The store in a PostgreSQL database, which many vaults and many processes share; `store.py` has it.

Nothing is imported here: settings are checked on machines without the driver.
"""
