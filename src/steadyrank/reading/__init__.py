"""Files, frames and SQL become one table, whose columns have the roles that were said."""
