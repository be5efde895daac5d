import type { Rule } from '../rule.ts';

/** Entries of lists that are no definitions. */
export const definitionMalformed: Rule = {
  id: 'definition-malformed',
  severity: 'error',
  summary: 'An entry of a list is no definition',
  why: 'Clients that check what they get refuse the whole list, and then no model sees any tool.',
  fix: 'Send objects with a `name` of text, and for tools with an `inputSchema`.',
  check: ({ malformed }) => malformed.map((message) => ({ message })),
};
