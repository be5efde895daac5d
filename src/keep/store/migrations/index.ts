import { initial } from './0001-initial.ts';
import { lists } from './0002-lists.ts';
import { work } from './0003-work.ts';
import { files } from './0004-files.ts';
import { nullableFigures } from './0005-nullable-figures.ts';
import { runProcesses } from './0006-run-processes.ts';
import { runWaits } from './0007-run-waits.ts';
import { runControls } from './0008-run-controls.ts';
import { hookProblems } from './0009-hook-problems.ts';
import { experiments } from './0010-experiments.ts';
import { fewerIndexes } from './0011-fewer-indexes.ts';
import { runLabels } from './0012-run-labels.ts';
import { runChecksums } from './0013-run-checksums.ts';
import { runPins } from './0014-run-pins.ts';
import { smallerIndexes } from './0015-smaller-indexes.ts';
import { brotliPacks } from './0016-brotli-packs.ts';
import type { Migration } from './migration.ts';

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = [
  initial,
  lists,
  work,
  files,
  nullableFigures,
  runProcesses,
  runWaits,
  runControls,
  hookProblems,
  experiments,
  fewerIndexes,
  runLabels,
  runChecksums,
  runPins,
  smallerIndexes,
  brotliPacks,
];
