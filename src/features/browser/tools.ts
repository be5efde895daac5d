import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { isRecord } from '../../shared/json.ts';
import type { Pictures } from './pictures.ts';
import { namedKeys, type Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';

/** The browser that the tools of an agent work on. */
export interface BrowserInUse {
  readonly tabs: Tabs;
  readonly pictures: Pictures;
}

interface Answer {
  readonly text: string;
  readonly picture?: Buffer;
}

/** A tool of the agent, as it is offered over MCP. */
export interface BrowserTool {
  readonly name: string;
  readonly description: string;
  readonly input: Readonly<Record<string, z.ZodType>>;
  readonly call: (input: Readonly<Record<string, unknown>>, browser: BrowserInUse) => Promise<Answer>;
}

const mostChars = 20_000;
const waitStepMs = 100;
const number = () => z.int().min(1).describe('number of the element, as the page was read last');

function tool<Input extends Readonly<Record<string, z.ZodType>>>(
  name: string,
  description: string,
  input: Input,
  call: (input: z.output<z.ZodObject<Input>>, tab: Tab, browser: BrowserInUse) => Promise<Answer | undefined>,
): BrowserTool {
  return {
    name,
    description,
    input,
    async call(given, browser) {
      const tab = usedTab(browser.tabs);
      const answered = await call(given as z.output<z.ZodObject<Input>>, tab, browser);
      if (answered) return answered;
      await tab.settled();
      return { text: await pageText(browser.tabs) };
    },
  };
}

function usedTab({ current }: Tabs): Tab {
  if (!current) throw new Error('No tab is open.');
  if (current.end !== undefined)
    throw new Error(`The tab cannot be used: ${current.end}. Choose another with \`tabs\`.`);
  return current;
}

function withoutDialog(tab: Tab): Tab {
  if (!tab.dialog) return tab;
  throw new Error(`A dialog (${tab.dialog.type}) is open: "${tab.dialog.message}". Answer it with \`dialog\`.`);
}

/** The page in use as text, with numbers for the elements that can be used. */
async function pageText(tabs: Tabs): Promise<string> {
  const tab = usedTab(tabs);
  if (tab.dialog) return `A dialog (${tab.dialog.type}) opened: "${tab.dialog.message}". Answer it with \`dialog\`.`;
  const found = await tab.call('read');
  const { url = '', title = '', lines = [] } = isRecord(found) ? found : {};
  const text = (lines as string[]).join('\n');
  const cut = text.length > mostChars ? `\n… ${text.length - mostChars} more characters` : '';
  return `${title}\n${url}\n\n${text.slice(0, mostChars)}${cut}`;
}

async function waitFor(tab: Tab, text: string, seconds: number): Promise<void> {
  const until = performance.now() + seconds * 1_000;
  while (performance.now() < until) {
    if ((await tab.call('hasText', text)) === true) return;
    await delay(waitStepMs);
  }
  throw new Error(`The text "${text}" did not appear within ${seconds} s.`);
}

async function listTabs({ open, current }: Tabs): Promise<string> {
  const lines = open.map(async (tab, index) => {
    const page = tab.dialog ? undefined : await tab.call('read').catch(() => undefined);
    const { url = '', title = '' } = isRecord(page) ? page : {};
    return `${index + 1}${tab === current ? ' (in use)' : ''}: ${title} ${url}`;
  });
  return (await Promise.all(lines)).join('\n');
}

/** Everything that an agent can do with its browser over MCP. */
export const browserTools: readonly BrowserTool[] = [
  tool('navigate', 'Open an address', { url: z.string().describe('absolute address') }, async ({ url }, tab) => {
    // Others lead to files of this machine and into the browser itself.
    if (!/^https?:\/\//i.test(url)) throw new Error('Only http and https addresses can be opened.');
    await withoutDialog(tab).open(url);
    return undefined;
  }),
  tool('back', 'Go back to the page before', {}, async (_, tab) => {
    if (!(await withoutDialog(tab).back())) throw new Error('There is no page before this one.');
    return undefined;
  }),
  tool('read', 'Read the page as text; elements that can be used have a number', {}, async () => undefined),
  tool('click', 'Click on an element', { element: number() }, async ({ element }, tab) => {
    const at = await withoutDialog(tab).call('point', element);
    await tab.click(at as { x: number; y: number });
    return undefined;
  }),
  tool(
    'type',
    'Replace the text of a field',
    {
      element: number(),
      text: z.string().describe('the new text'),
      submit: z.boolean().default(false).describe('press Enter afterwards'),
    },
    async ({ element, text, submit }, tab) => {
      await withoutDialog(tab).call('focus', element);
      if (text === '') await tab.press('Backspace');
      else await tab.insert(text);
      if (submit) await tab.press('Enter');
      return undefined;
    },
  ),
  tool(
    'select',
    'Choose an option of a list',
    { element: number(), option: z.string().describe('text or value of the option') },
    async ({ element, option }, tab) => {
      await withoutDialog(tab).call('choose', element, option);
      return undefined;
    },
  ),
  tool(
    'press',
    'Press a key',
    {
      key: z
        .union([z.enum(namedKeys as [string, ...string[]]), z.string().length(1)])
        .describe('name of the key, or a character'),
    },
    async ({ key }, tab) => {
      await withoutDialog(tab).press(key);
      return undefined;
    },
  ),
  tool(
    'wait',
    'Wait until a text is on the page',
    {
      text: z.string().min(1).describe('the text'),
      seconds: z.number().positive().max(60).default(10).describe('at most'),
    },
    async ({ text, seconds }, tab) => {
      await waitFor(withoutDialog(tab), text, seconds);
      return undefined;
    },
  ),
  tool('screenshot', 'Take a picture of the part of the page that can be seen', {}, async (_, tab, { pictures }) => {
    const picture = await withoutDialog(tab).picture();
    const kept = await pictures.keep(picture).catch(() => undefined);
    return { text: kept === undefined ? 'A picture of the page' : `A picture of the page, kept as ${kept}`, picture };
  }),
  tool(
    'dialog',
    'Answer an open dialog',
    {
      accept: z.boolean().describe('OK or Cancel'),
      text: z.string().optional().describe('answer to a prompt'),
    },
    async ({ accept, text }, tab) => {
      if (!tab.dialog) throw new Error('No dialog is open.');
      await tab.answerDialog(accept, text);
      return undefined;
    },
  ),
  {
    name: 'tabs',
    description: 'List the open tabs, or use another one',
    input: { use: z.int().min(1).optional().describe('number of the tab to use') },
    async call({ use }, { tabs }) {
      if (use === undefined) return { text: await listTabs(tabs) };
      const tab = tabs.open[Number(use) - 1];
      if (!tab) throw new Error(`There is no tab ${use}.`);
      tabs.use(tab);
      await tab.front();
      return { text: await pageText(tabs) };
    },
  },
];
