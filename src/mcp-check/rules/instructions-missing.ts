import type { Rule } from '../rule.ts';

/** Servers that say nothing about how their tools belong together. */
export const instructionsMissing: Rule = {
  id: 'instructions-missing',
  severity: 'info',
  summary: 'The server gives no instructions',
  why: 'Clients hand them to the model: it is the place to say how tools belong together and what to do first.',
  fix: 'Send `instructions` in the answer to `initialize`: a few sentences on what the server is for.',
  check: ({ facts, tools }) =>
    tools.length > 1 && (facts.instructions ?? '').trim() === '' ? [{ message: 'There are no instructions.' }] : [],
};
