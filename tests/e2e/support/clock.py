"""Minutes of the past, for schedules whose runs were missed: no test waits for the clock."""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo


def now():
    return datetime.now(timezone.utc)


def stamp(when):
    """As the API writes times."""
    return when.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def age_s(thing):
    """Whole seconds since the object was made, at least."""
    made = datetime.fromisoformat(thing["metadata"]["creationTimestamp"].replace("Z", "+00:00"))
    return (now() - made).total_seconds() - 1


def minute_ago(minutes):
    """The full minute so long ago."""
    return (now() - timedelta(minutes=minutes)).replace(second=0, microsecond=0)


def hourly_at(when, zone="UTC"):
    """The schedule of which `when` was the latest run, for less than an hour."""
    return f"{when.astimezone(ZoneInfo(zone)).minute} * * * *"


def an_hour_before(when):
    return when - timedelta(minutes=59)
