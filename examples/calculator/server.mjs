import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const operand = (name) => z.number().describe(name);
const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const answer = { result: z.number().describe('the value of the operation') };

/** Each tool: what it does, in words for a model, and how. */
const operations = {
  add: { title: 'Add', description: 'Adds two numbers: the total of a and b.', compute: (a, b) => a + b },
  subtract: { title: 'Subtract', description: 'Takes b away from a: what is left of a.', compute: (a, b) => a - b },
  multiply: { title: 'Multiply', description: 'Multiplies two numbers: a groups of b each.', compute: (a, b) => a * b },
  divide: {
    title: 'Divide',
    description: 'Divides a by b. Refuses to divide by zero.',
    compute(a, b) {
      if (b === 0) throw new Error('Cannot divide by zero: b must be another number.');
      return a / b;
    },
  },
};

const server = new McpServer(
  { name: 'calculator', version: '1.0.0' },
  { instructions: 'Arithmetic on two numbers. Use one tool for each operation; do not compute in your head.' },
);

for (const [name, { title, description, compute }] of Object.entries(operations)) {
  server.registerTool(
    name,
    {
      title,
      description,
      inputSchema: z.strictObject({ a: operand('the first number'), b: operand('the second number') }),
      outputSchema: z.object(answer),
      annotations: readOnly,
    },
    ({ a, b }) => {
      const result = compute(a, b);
      return { content: [{ type: 'text', text: String(result) }], structuredContent: { result } };
    },
  );
}

/** With `explain` on the command line, one more tool, which asks the model of its client. */
if (process.argv.includes('explain')) {
  server.registerTool(
    'explain',
    {
      title: 'Explain',
      description: 'Explains a calculation in words, with the help of your model. E-mail addresses are not sent to it.',
      inputSchema: z.strictObject({ question: z.string().describe('the calculation') }),
      annotations: readOnly,
    },
    async ({ question }) => {
      const text = `Explain: ${question.replaceAll(/\S+@\S+/g, '[hidden]')}`;
      const messages = [{ role: 'user', content: { type: 'text', text } }];
      const { content } = await server.server.createMessage({ messages, maxTokens: 100 });
      if (content.type !== 'text') throw new Error(`An explanation is a text, not ${content.type}.`);
      return { content: [{ type: 'text', text: content.text }] };
    },
  );
}

await server.connect(new StdioServerTransport());
