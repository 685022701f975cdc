"""Pictures of tables, for people who look at them in Dagster."""
