import * as z from 'zod';
import { sha256 } from '../../../../shared/ids.ts';
import { canonicalJson } from '../../../../shared/json.ts';
import { argumentMatchersSchema, wantedSchema } from '../tool-use/value-matcher.ts';

const asserted = ['url', 'title', 'selector', 'text', 'cookies', 'localStorage'] as const;

/** The wishes of an evaluator. */
export const pageConfigSchema = () =>
  z
    .strictObject({
      open: z
        .string()
        .min(1)
        .optional()
        .describe(
          'address or path that Assay opens in a separate tab when the agent has ended; by default the tab is read that the agent used last',
        ),
      url: wantedSchema()
        .optional()
        .describe('address of the page: a value, or a matcher like { contains }, { matches }'),
      title: wantedSchema().optional().describe('title of the page: a value or a matcher'),
      selector: z.string().min(1).optional().describe('CSS selector of elements'),
      count: wantedSchema()
        .optional()
        .describe('how many elements the selector matches: a number, or a matcher; by default at least one'),
      hidden: z.boolean().default(false).describe('whether elements count that are not visible'),
      text: wantedSchema()
        .optional()
        .describe('text of at least one of these elements, or of the page without `selector`: a value or a matcher'),
      cookies: argumentMatchersSchema()
        .optional()
        .describe('cookies of the page by name: values, matchers, or null for one that is not there'),
      localStorage: argumentMatchersSchema()
        .optional()
        .describe('entries of localStorage by key: values, matchers, or null for one that is not there'),
    })
    .refine((config) => asserted.some((key) => config[key] !== undefined), {
      message: `one of \`${asserted.join('`, `')}\` is needed`,
    })
    .refine(({ selector, count }) => selector !== undefined || count === undefined, {
      path: ['count'],
      message: '`count` needs a `selector`',
    });
export type PageConfig = z.output<ReturnType<typeof pageConfigSchema>>;

/** Which page is read, and what of it. */
export interface PageLook {
  readonly open: string | undefined;
  readonly selector: string | undefined;
  readonly cookies: readonly string[];
  readonly localStorage: readonly string[];
}

export function lookOf({ open, selector, cookies = {}, localStorage = {} }: PageConfig): PageLook {
  const names = (wanted: object) => Object.keys(wanted).toSorted();
  return { open, selector, cookies: names(cookies), localStorage: names(localStorage) };
}

export function keyOfLook(look: PageLook): string {
  return sha256(canonicalJson(look));
}

/** Which page it is, in words. */
export function nameOfLook({ open }: { readonly open?: string | undefined }): string {
  return open === undefined ? 'the page that the agent left' : `the page ${open}`;
}
