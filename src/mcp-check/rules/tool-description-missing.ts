import { perTool, type Rule } from '../rule.ts';

/** Tools without a description. */
export const toolDescriptionMissing: Rule = {
  id: 'tool-description-missing',
  severity: 'error',
  summary: 'The tool has no description',
  why: 'Models choose tools by their descriptions; of this one they know nothing but its name.',
  fix: 'Say in one or two sentences what it does, when to use it and what comes back.',
  check: (server) =>
    perTool(server, ({ description }) => (description.trim() === '' ? 'There is no description.' : undefined)),
};
