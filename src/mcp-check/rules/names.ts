import type { Rule } from '../definitions/rule.ts';
import { nameWords, quoted } from '../definitions/words.ts';

/** In the order of the report. */
export const nameRules: readonly Rule[] = [
  {
    id: 'tool-name-invalid',
    severity: 'error',
    summary: 'The name of the tool is not allowed by the protocol',
    why: 'Providers of models refuse the request that offers such a tool, so no tool of the server can be used.',
    fix: 'Use 1 to 128 letters, digits, `_`, `-` and `.`, such as `get_user`.',
    clause: '2025-11-25/server/tools#tool-names',
    checkTool: ({ name }) => {
      if (allowedByProtocol.test(name)) return undefined;
      const wrong = [...new Set(name.replace(/[A-Za-z0-9_.-]/g, ''))].map((character) => JSON.stringify(character));
      if (name === '') return 'The name is empty.';
      if (name.length > 128) return `The name has ${name.length} characters.`;
      return `The name ${JSON.stringify(name)} contains ${wrong.slice(0, 5).join(', ')}.`;
    },
  },
  {
    id: 'tool-name-duplicate',
    severity: 'error',
    summary: 'Several tools have the same name',
    why: 'A call can only reach one of them, and providers of models refuse requests that offer a name twice.',
    fix: 'Give each tool its own name.',
    clause: '2025-11-25/server/tools#tool-names',
    check({ tools }) {
      const counts = new Map<string, number>();
      for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
      return [...counts]
        .filter(([, count]) => count > 1)
        .map(([name, count]) => ({ message: `${count} tools are called \`${name}\`.`, tools: [name] }));
    },
  },
  {
    id: 'tool-name-not-portable',
    severity: 'warning',
    summary: 'Not every provider of models accepts the name of the tool',
    why: 'Clients have to refuse, cut or rename the tool for some models, and then your texts name it wrongly.',
    fix: 'Use at most 64 letters, digits, `_` and `-`, beginning with a letter or `_`.',
    checkTool: ({ name }) => {
      if (!/^[A-Za-z0-9_.-]{1,128}$/.test(name)) return undefined;
      if (name.length > longest) return `The name has ${name.length} characters; several providers take ${longest}.`;
      if (name.includes('.')) return 'The name contains a `.`, which OpenAI and Anthropic do not take.';
      if (/^[0-9-]/.test(name)) return `The name begins with \`${name[0]}\`, which Gemini does not take.`;
      return undefined;
    },
  },
  {
    id: 'tool-names-clash',
    severity: 'warning',
    summary: 'Names of tools differ only in case or separators',
    why: 'Models mix them up, and clients that make names portable make the same name of them.',
    fix: 'Rename one: at least one word must differ.',
    check({ tools }) {
      const groups = new Map<string, Set<string>>();
      for (const { name } of tools) {
        const key = nameWords(name).join('');
        groups.set(key, (groups.get(key) ?? new Set()).add(name));
      }
      return [...groups.values()]
        .filter((names) => names.size > 1)
        .map((names) => ({ message: `${quoted([...names])} read the same.`, tools: [...names] }));
    },
  },
];

const allowedByProtocol = /^[A-Za-z0-9_.-]{1,128}$/;

const longest = 64;
