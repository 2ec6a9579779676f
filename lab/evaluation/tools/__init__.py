"""Small tools that experiments call: tables that are made of other tables, and measurements that the program does not make."""
