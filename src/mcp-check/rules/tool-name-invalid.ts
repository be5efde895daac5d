import { perTool, type Rule } from '../rule.ts';

const allowedByProtocol = /^[A-Za-z0-9_.-]{1,128}$/;

/** Names that the protocol itself does not allow. */
export const toolNameInvalid: Rule = {
  id: 'tool-name-invalid',
  severity: 'error',
  summary: 'The name of the tool is not allowed by the protocol',
  why: 'Providers of models refuse the request that offers such a tool, so that no tool of the server can be used.',
  fix: 'Use 1 to 128 letters, digits, `_`, `-` and `.`, such as `get_user`.',
  check: (server) =>
    perTool(server, ({ name }) => {
      if (allowedByProtocol.test(name)) return undefined;
      const wrong = [...new Set(name.replace(/[A-Za-z0-9_.-]/g, ''))].map((character) => JSON.stringify(character));
      if (name === '') return 'The name is empty.';
      if (name.length > 128) return `The name has ${name.length} characters.`;
      return `The name ${JSON.stringify(name)} contains ${wrong.slice(0, 5).join(', ')}.`;
    }),
};
