import { compileTextPattern, UnusablePattern } from '../../../../shared/patterns.ts';
import { failed, type GateVerdict, passed } from '../gate.ts';
import { excerptOf } from './excerpt.ts';

/** A text that a gate looks at, or as much of it as was kept. */
export interface LookedAtText {
  /** What it is, for messages: `stdout of "ls"`. */
  readonly name: string;
  /** The whole, or what was kept of it: a head and perhaps a tail. */
  readonly parts: readonly string[];
  /** What was left out, in words; undefined where the text is whole. */
  readonly leftOut: string | undefined;
}

/** Looks for a text. */
export function checkContains(text: LookedAtText, substring: string): GateVerdict {
  const wanted = excerptOf(substring);
  if (text.parts.some((part) => part.includes(substring))) return passed(`${text.name} contains ${wanted}`);
  return failed(`${text.name} does not contain ${wanted}${butLeftOut(text)}; ${contentOf(text)}`);
}

/** Looks for a regular expression; in a text that is not whole `^` and `$` would find ends that are none. */
export function checkMatches(text: LookedAtText, pattern: string): GateVerdict {
  const shown = excerptOf(pattern);
  if (text.leftOut) return failed(`${text.name} cannot be matched with ${shown}: ${text.leftOut}; ${contentOf(text)}`);
  try {
    if (compileTextPattern(pattern).occursIn(text.parts.join(''))) return passed(`${text.name} matches ${shown}`);
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    return failed(`${text.name} cannot be matched with ${shown}: ${error.message}`);
  }
  return failed(`${text.name} does not match ${shown}; ${contentOf(text)}`);
}

function butLeftOut({ leftOut }: LookedAtText): string {
  return leftOut === undefined ? '' : ` in the part that was looked at: ${leftOut}`;
}

function contentOf({ parts }: LookedAtText): string {
  const content = parts.join(' … ');
  return content.trim() === '' ? 'it is empty' : `it is ${excerptOf(content)}`;
}
