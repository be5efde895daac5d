import type { Rule } from '../rule.ts';

/** Several tools of the same name. */
export const toolNameDuplicate: Rule = {
  id: 'tool-name-duplicate',
  severity: 'error',
  summary: 'Several tools have the same name',
  why: 'A call can only reach one of them, and providers of models refuse requests that offer a name twice.',
  fix: 'Give each tool a name of its own.',
  check({ tools }) {
    const counts = new Map<string, number>();
    for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts]
      .filter(([, count]) => count > 1)
      .map(([name, count]) => ({ message: `${count} tools are called \`${name}\`.`, tools: [name] }));
  },
};
