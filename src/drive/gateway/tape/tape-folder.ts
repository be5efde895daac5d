import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AssayError } from '../../../domain/errors.ts';
import { sha256 } from '../../../shared/ids.ts';
import { canonicalJson } from '../../../shared/json.ts';
import { redactedText } from '../../../shared/redaction/redacted.ts';
import { type Redact, redactedJson } from '../../../shared/redaction/redaction.ts';
import { parseTape, readTape, writeTape } from '../../tape/tape-file.ts';
import { type TapedTrial, type TapeFile, tapeSchema } from './tape.ts';

/** In the folder of the recordings, beside those of models. */
const subfolder = 'agents';
const mostNamed = 10;

/** The file of a trial's recording, relative to the folder of the recordings. */
export function tapeName(trial: TapedTrial): string {
  const { scenario, agent, model, guidance, repeat } = trial;
  const words = [scenario, agent, model, guidance].filter((word) => word !== null).map(plain);
  return join(
    subfolder,
    `${words.join('-').slice(0, 120)}-${repeat}-${sha256(canonicalJson(trial)).slice(0, 12)}.json`,
  );
}

function plain(word: string): string {
  return word.replace(/[^\w.-]+/g, '-');
}

/** The recording of a trial; undefined when there is none. Throws where it cannot be read. */
export function readSessionTape(folder: string, trial: TapedTrial): TapeFile | undefined {
  const name = tapeName(trial);
  const text = readTape(folder, name);
  return text === undefined ? undefined : parseTape(name, text, tapeSchema);
}

export function writeSessionTape(folder: string, tape: TapeFile, redact: Redact): Promise<void> {
  return writeTape(folder, tapeName(tape.trial), redactedText`${redactedJson(tape, redact, 2)}\n`);
}

/** The error of a trial that was never recorded, with the names of those that were. */
export async function noTape(folder: string, trial: TapedTrial): Promise<AssayError> {
  const { scenario, agent, model, guidance, repeat } = trial;
  const variant = [agent, model, guidance].filter((part) => part !== null).join(', ');
  const found = (await readdir(join(folder, subfolder)).catch(() => []))
    .filter((name) => name.endsWith('.json'))
    .sort();
  const near = found.filter((name) => name.startsWith(plain(scenario)));
  const named = (near.length > 0 ? near : found).slice(0, mostNamed);
  const others = named.length === 0 ? 'There are no recordings of agents there.' : `Recorded are: ${named.join(', ')}.`;
  return new AssayError(
    'REPLAY_MISS',
    `There is no recording of repeat ${repeat} of "${scenario}" (${variant}) in ${folder}. ${others}`,
  );
}
