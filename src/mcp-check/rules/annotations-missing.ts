import { counted } from '../../shared/format.ts';
import type { Rule } from '../rule.ts';
import { quoted } from '../words.ts';

/** Tools that do not say whether they change anything. */
export const annotationsMissing: Rule = {
  id: 'annotations-missing',
  severity: 'info',
  summary: 'Tools do not say whether they change anything',
  why: 'Clients must take them for destructive and ask the user before every call; they are not called by this check.',
  fix: 'Set `annotations.readOnlyHint`, and `destructiveHint` where it is false.',
  check({ tools }) {
    const silent = tools
      .filter(({ annotations }) => typeof annotations.readOnlyHint !== 'boolean')
      .map(({ name }) => name);
    if (silent.length === 0) return [];
    const message = `${counted(silent.length, 'tool')} of ${tools.length} without \`readOnlyHint\`: ${quoted(silent)}.`;
    return [{ message, tools: silent }];
  },
};
