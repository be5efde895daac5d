import * as z from 'zod';
import type { PageState } from '../../domain/browser.ts';
import { keyOfLook, nameOfLook, type PageLook } from '../../score/evaluators/assertions/page/page-config.ts';
import type { Pictures } from './pictures.ts';
import type { Tab } from './tab.ts';
import type { Tabs } from './tabs.ts';

interface ReadFrom {
  readonly tabs: Tabs;
  readonly pictures: Pictures;
  /** Addresses of looks are relative to it. */
  readonly start: URL;
}

const lookSchema = z.object({
  url: z.string().refine((url) => !url.startsWith('chrome-error:'), 'it could not be loaded'),
  title: z.string(),
  ready: z.literal(true, 'it was still loading'),
  text: z.string(),
  cut: z.boolean(),
  elements: z.array(z.object({ text: z.string(), visible: z.boolean() })).optional(),
  localStorage: z.record(z.string(), z.string().nullable()),
});

/** Reads a page when the agent has ended; throws where any of it cannot be read. */
export async function readPage(look: PageLook, from: ReadFrom): Promise<PageState> {
  const tab = await tabOf(look, from);
  await tab.settled();
  if (tab.end !== undefined) throw new Error(tab.end);
  if (tab.dialog) throw new Error(`a dialog (${tab.dialog.type}) is open: "${tab.dialog.message}"`);
  const found = checkedLook(look, await tab.call('look', look.selector ?? null, look.localStorage));
  const cookies = look.cookies.length === 0 ? [] : await tab.cookies();
  const { ready: _, cut, ...read } = found;
  const picture = await tab.picture().catch(() => undefined);
  const screenshot = picture && (await from.pictures.keep(picture).catch(() => undefined));
  return {
    page: nameOfLook(look),
    key: keyOfLook(look),
    ...read,
    cookies: Object.fromEntries(look.cookies.map((name) => [name, valueOfCookie(name, cookies)])),
    ...(cut && { cut }),
    ...(screenshot !== undefined && { screenshot }),
  };
}

/** The answer of the page script, if all is there that was wanted. */
export function checkedLook({ selector, localStorage }: PageLook, given: unknown): z.output<typeof lookSchema> {
  const { data, error } = lookSchema.safeParse(given);
  const missing = data && localStorage.find((key) => !Object.hasOwn(data.localStorage, key));
  if (data && missing === undefined && (selector === undefined) === (data.elements === undefined)) return data;
  const [issue] = error?.issues ?? [];
  throw new Error(issue?.path.length === 1 ? issue.message : 'the browser did not give all of it');
}

type Cookies = Awaited<ReturnType<Tab['cookies']>>;

function valueOfCookie(wanted: string, cookies: Cookies): string | null {
  const values = new Set(cookies.flatMap(({ name, value }) => (name === wanted ? [value] : [])));
  if (values.size > 1) throw new Error(`it has several cookies with the name ${wanted}`);
  return [...values][0] ?? null;
}

async function tabOf({ open }: PageLook, { tabs, start }: ReadFrom): Promise<Tab> {
  if (open !== undefined) {
    const own = await tabs.add();
    await own.open(new URL(open, start).href);
    return own;
  }
  if (!tabs.current) throw new Error('no tab was open');
  return tabs.current;
}
