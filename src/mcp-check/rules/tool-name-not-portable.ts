import { perTool, type Rule } from '../rule.ts';

const longest = 64;

/** Names that the protocol allows and some providers of models do not. */
export const toolNameNotPortable: Rule = {
  id: 'tool-name-not-portable',
  severity: 'warning',
  summary: 'Not every provider of models accepts the name of the tool',
  why: 'Clients have to refuse, cut or rename the tool for some models, and then your texts name it wrongly.',
  fix: 'Use at most 64 letters, digits, `_` and `-`, beginning with a letter or `_`.',
  check: (server) =>
    perTool(server, ({ name }) => {
      if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return undefined;
      if (name.length > longest) return `The name has ${name.length} characters; several providers take ${longest}.`;
      if (name.includes('.')) return 'The name contains a `.`, which OpenAI and Anthropic do not take.';
      if (/^[0-9-]/.test(name)) return `The name begins with \`${name[0]}\`, which Gemini does not take.`;
      return undefined;
    }),
};
