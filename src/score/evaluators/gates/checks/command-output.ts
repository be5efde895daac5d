import type { ScriptEnd } from '../../../../drive/workspace/run-script.ts';
import type { LookedAtText } from './looked-at-text.ts';
import { quoted } from './run-command.ts';

/** The standard output of a command as text to look at, without the words that stand for what was left out. */
export function outputOf(command: string, { stdout }: ScriptEnd): LookedAtText {
  const { text, truncatedBytes } = stdout;
  const name = `stdout of ${quoted(command)}`;
  if (truncatedBytes === 0) return { name, parts: [text], leftOut: undefined };
  const parts = text.split(`\n… ${truncatedBytes} bytes left out …\n`);
  return { name, parts, leftOut: `it is so long that ${truncatedBytes} bytes of it were left out` };
}
