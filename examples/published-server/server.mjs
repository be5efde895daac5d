import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const readOnly = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const titles = ['Bread with walnuts', 'Soup of the day'];

const finds =
  'Finds recipes that contain a word among their ingredients, steps or comments, and returns title, minutes, portions and author of each, the quickest meal first.';

/** Two pairs that look alike: the first says in its second sentence what differs, the second does not. */
const tools = {
  search_recipes: `${finds} Looks at recipes of the house.`,
  lookup_recipes: `${finds} Looks at recipes of guests.`,
  list_dishes: 'Returns the names of dishes on the menu that contain a word.',
  show_dishes: 'Returns the names of dishes on the menu that contain a word.',
  // A name that some providers refuse, an invisible character, and a path of the author's machine.
  'notes.find': 'Finds\u200B notes about cooking in /home/zelda/notes and returns their titles.',
};

const server = new McpServer(
  { name: 'kitchen', version: '1.1.0' },
  { instructions: 'Recipes, dishes on the menu, and notes about cooking.' },
);

for (const [name, description] of Object.entries(tools)) {
  server.registerTool(
    name,
    {
      description,
      inputSchema: z.strictObject({ word: z.string().min(1).max(100).describe('word to look for') }),
      outputSchema: z.object({ titles: z.array(z.string()).describe('titles that contain the word') }),
      annotations: readOnly,
    },
    ({ word }) => {
      const found = { titles: titles.filter((title) => title.includes(word)) };
      return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
    },
  );
}

await server.connect(new StdioServerTransport());
