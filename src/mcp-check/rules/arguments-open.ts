import { counted } from '../../shared/format.ts';
import { isRecord } from '../../shared/json.ts';
import type { Rule } from '../rule.ts';
import { quoted } from '../words.ts';

/** Input schemas that allow arguments which they do not name. */
export const argumentsOpen: Rule = {
  id: 'arguments-open',
  severity: 'info',
  summary: 'Tools allow arguments that they do not name',
  why: 'A misspelt argument is dropped silently: the model believes that it counted.',
  fix: 'Write `additionalProperties: false` in `inputSchema`, and refuse what is not known.',
  check({ tools }) {
    const open = tools.filter(({ inputSchema }) => isOpen(inputSchema)).map(({ name }) => name);
    if (open.length === 0) return [];
    const count = `${counted(open.length, 'tool')} of ${tools.length}`;
    return [{ message: `${count} leave \`additionalProperties\` open: ${quoted(open)}.`, tools: open }];
  },
};

function isOpen(schema: unknown): boolean {
  if (!isRecord(schema) || !isRecord(schema.properties) || Object.keys(schema.properties).length === 0) return false;
  // A schema that says what else may be there was left open on purpose.
  return (
    schema.additionalProperties === undefined &&
    !('patternProperties' in schema) &&
    !('unevaluatedProperties' in schema)
  );
}
