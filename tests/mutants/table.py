"""Changes to lines that privacy hangs on, each with a test that must fail once it is made."""

from tests.mutants.columns import COLUMNS
from tests.mutants.ledger import LEDGER
from tests.mutants.mechanisms import MECHANISMS
from tests.mutants.mutant import mutants_of
from tests.mutants.noise_and_privacy import NOISE_AND_PRIVACY
from tests.mutants.pages import PAGES
from tests.mutants.sources import SOURCES
from tests.mutants.tables import TABLES

ROOMS = (MECHANISMS, NOISE_AND_PRIVACY, LEDGER, SOURCES, COLUMNS, TABLES, PAGES)
MUTANTS = tuple(mutant for room in ROOMS for mutant in mutants_of(room))
