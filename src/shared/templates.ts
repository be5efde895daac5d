import { isRecord, mapTexts } from './json.ts';

type DataPath = readonly PropertyKey[];

/** A `{{name}}` in a text, with its position. */
export interface Template {
  readonly path: DataPath;
  /** From 1. */
  readonly column: number;
  readonly written: string;
  /** Undefined for braces around text that cannot be a name. */
  readonly name: string | undefined;
}

/** The values of one case by the names that templates use. */
export type TemplateValues = Readonly<Record<string, unknown>>;

const braces = /\{\{([^{}\r\n]*)\}\}/g;
const name = /^[\w.-]+$/;

/** All templates in the texts of some data, with their paths in the file. */
export function templatesIn(value: unknown, path: DataPath): Template[] {
  if (typeof value === 'string') return templatesInText(value, path);
  if (Array.isArray(value)) return value.flatMap((item, index) => templatesIn(item, [...path, index]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, part]) => templatesIn(part, [...path, key]));
}

/**
 * A copy of some data with its templates filled in. A text that is only a template becomes the value itself, so
 * numbers stay numbers. Values are not searched for templates again.
 */
export function fillTemplates(value: unknown, values: TemplateValues): unknown {
  return mapTexts(value, (text) => fillText(text, values));
}

/** The same where a text stays a text, whatever takes the place of its templates. */
export function fillTexts(value: unknown, values: TemplateValues): unknown {
  return mapTexts(value, (text) => filledText(text, values));
}

/** Position (from 1) of a template inside the braces of another, which cannot be filled in; undefined where there is none. */
export function nestedTemplateColumn(text: string): number | undefined {
  const outer = /\{\{[^{}]*\{\{/.exec(text);
  return outer ? outer.index + outer[0].length - 1 : undefined;
}

function templatesInText(text: string, path: DataPath): Template[] {
  return [...text.matchAll(braces)].map((match) => ({
    path,
    column: match.index + 1,
    written: match[0],
    name: nameIn(match[1]),
  }));
}

function fillText(text: string, values: TemplateValues): unknown {
  const [first] = templatesInText(text, []);
  if (first?.name !== undefined && first.written === text && Object.hasOwn(values, first.name))
    return values[first.name];
  return filledText(text, values);
}

function filledText(text: string, values: TemplateValues): string {
  return text.replace(braces, (whole: string, inside: string) => {
    const key = nameIn(inside);
    if (key === undefined || !Object.hasOwn(values, key)) return whole;
    const filled = values[key];
    return typeof filled === 'string' ? filled : (JSON.stringify(filled) ?? whole);
  });
}

function nameIn(inside: string | undefined): string | undefined {
  const trimmed = inside?.trim() ?? '';
  return name.test(trimmed) ? trimmed : undefined;
}
