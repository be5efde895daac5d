import { createInterface } from 'node:readline/promises';
import { starters } from '../../compose/starters/index.ts';
import type { Starter } from '../../compose/starters/starter.ts';
import { AssayError } from '../../domain/errors.ts';
import { suggestion } from '../../shared/suggest.ts';
import { type CliContext, isWatched } from './context.ts';

/** The kind that was named; else a person is asked, and a script gets the first. Undefined after Ctrl-C. */
export async function chooseStarter(named: unknown, context: CliContext): Promise<Starter | undefined> {
  if (typeof named === 'string') return findStarter(named);
  const [first] = starters;
  if (!first) throw new AssayError('INTERNAL', 'There are no starter projects.');
  const isAsked = context.stdin.isTTY === true && isWatched(context.stdout, context.env);
  return isAsked ? askForStarter(first, context) : first;
}

/** The kinds with a line about each, for help and question. */
export function starterLines(): string[] {
  return starters.map(({ kind, summary }) => `${kind.padEnd(14)}${summary}`);
}

function findStarter(named: string): Starter {
  const found = starters.find(({ kind }) => kind === named);
  if (found) return found;
  const kinds = starters.map(({ kind }) => kind);
  throw new AssayError('USAGE', `There is no starter of the kind "${named}".`, { hint: suggestion(named, kinds) });
}

async function askForStarter(first: Starter, { stdin, stdout }: CliContext): Promise<Starter | undefined> {
  const asking = createInterface({ input: stdin, output: stdout });
  const interrupt = new AbortController();
  // The terminal is in raw mode here: Ctrl-C is a key, not a signal.
  asking.on('SIGINT', () => interrupt.abort());
  asking.on('close', () => interrupt.abort());
  try {
    const list = starterLines().map((line, index) => `  ${index + 1}  ${line}`);
    const answer = await asking.question(`What will be tested?\n${list.join('\n')}\nNumber or name [1]: `, {
      signal: interrupt.signal,
    });
    const given = answer.trim();
    if (given === '') return first;
    return starters[Number(given) - 1] ?? findStarter(given);
  } catch (error) {
    if (interrupt.signal.aborted) return undefined;
    throw error;
  } finally {
    asking.close();
  }
}
