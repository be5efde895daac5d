import { cutConnections } from './cut-connections.mjs';
import { fullDisk } from './full-disk.mjs';
import { killedWorkers } from './killed-workers.mjs';
import { olderWorker } from './older-worker.mjs';
import { restartedDatabase } from './restarted-database.mjs';
import { twoCoordinators } from './two-coordinators.mjs';
import { wrongClocks } from './wrong-clocks.mjs';

/** All storms, by the names under which they can be run alone. */
export const storms = {
  workers: killedWorkers,
  database: restartedDatabase,
  connections: cutConnections,
  clocks: wrongClocks,
  coordinators: twoCoordinators,
  disk: fullDisk,
  versions: olderWorker,
};
