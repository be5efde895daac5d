import { counted } from '../../shared/format.ts';
import type { Rule } from '../rule.ts';
import { quoted } from '../words.ts';

/** Tools that do not say what their results look like. */
export const outputSchemaMissing: Rule = {
  id: 'output-schema-missing',
  severity: 'info',
  summary: 'Tools do not say what their results look like',
  why: 'Clients and models cannot rely on the form of a result, nor can changes to it be noticed.',
  fix: 'Add an `outputSchema` and send `structuredContent` where the result is data rather than text.',
  check({ tools }) {
    const silent = tools.filter(({ outputSchema }) => outputSchema === undefined).map(({ name }) => name);
    if (silent.length === 0) return [];
    const message = `${counted(silent.length, 'tool')} of ${tools.length} without \`outputSchema\`: ${quoted(silent)}.`;
    return [{ message, tools: silent }];
  },
};
