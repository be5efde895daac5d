import { AssayError } from '../../../../../domain/errors.ts';
import { compileTextPattern, UnusablePattern } from '../../../../../shared/patterns.ts';
import { fail, type Judged, shown } from './judged.ts';

/** Fails where a regular expression is not found in a text; undefined where it is. */
export function judgePattern(pattern: string, text: string): Judged | undefined {
  try {
    if (compileTextPattern(pattern).occursIn(text)) return undefined;
  } catch (error) {
    if (!(error instanceof UnusablePattern)) throw error;
    throw new AssayError('CRITERION_UNUSABLE', `The pattern ${shown(pattern)} cannot be used: ${error.message}`);
  }
  return fail(`Expected something like ${shown(pattern)}, got ${shown(text)}`);
}
