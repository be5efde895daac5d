import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** Type of the evaluator that asserts on a page. */
export const pageType = 'page';

/** The name of the MCP server by which an agent uses its browser. */
export const browserServer = 'browser';

/** The browser that an agent gets. */
export const browserSchema = lazySchema(() =>
  z
    .strictObject({
      start: z
        .string()
        .min(1)
        .default('/')
        .describe('page with which the browser begins: an address, or a path of `site`; ${VAR} is expanded'),
      site: z
        .string()
        .min(1)
        .optional()
        .describe('shell command that serves the pages of one trial on the port in the variable PORT'),
      allow: z
        .array(z.string().min(1))
        .default([])
        .describe('hosts that pages reach beside the one of `start`, as `host`, `host:port` or `*.host`'),
      cdp: z
        .boolean()
        .default(false)
        .describe('also give the agent the address of the Chrome DevTools Protocol, in ASSAY_BROWSER_CDP'),
      screenshots: z.boolean().default(true).describe('whether pictures of pages are kept with the files of a trial'),
    })
    .refine(({ start, site }) => site !== undefined || /^(https?:\/\/|\$\{)/.test(start), {
      path: ['start'],
      message: 'must be an http or https address where there is no `site`',
    }),
);
export type BrowserSettings = z.output<typeof browserSchema>;

const named = (what: string) => z.record(z.string(), z.string().nullable()).describe(what);

/** A page as Assay found it when the agent had ended. */
export const pageStateSchema = lazySchema(() =>
  z.object({
    page: z.string().describe('which page was read, as the scenario names it'),
    key: z.string().describe('SHA-256 of what was read: evaluators find their page by it'),
    url: z.string(),
    title: z.string(),
    text: z.string().describe('visible text of the page'),
    elements: z
      .array(
        z.object({
          text: z.string().describe('visible text, or the value of a field'),
          visible: z.boolean(),
        }),
      )
      .optional()
      .describe('elements that the selector matches'),
    cookies: named('cookies by name; null for one that is not there'),
    localStorage: named('entries of localStorage by key; null for one that is not there'),
    cut: z.boolean().optional().describe('whether texts or elements were left out because there were too many'),
    screenshot: z.string().optional().describe('file of the trial with a picture of the page'),
  }),
);
export type PageState = z.infer<typeof pageStateSchema>;

/** A page for people: `the page that the agent left: http://localhost:1/cart, 2 elements`. */
export function describePage({ page, url, elements }: Pick<PageState, 'page' | 'url' | 'elements'>): string {
  const matched = elements === undefined ? '' : `, ${elements.length} element${elements.length === 1 ? '' : 's'}`;
  return `${page}: ${url}${matched}`;
}
