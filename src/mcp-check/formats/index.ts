import type { CheckFormat } from './check-format.ts';
import { consoleFormat } from './console.ts';
import { markdownFormat } from './markdown.ts';
import { jsonFormat, sarifFormat } from './sarif.ts';

/** Every way to write a report of a check down. */
export const checkFormats: readonly CheckFormat[] = [consoleFormat, jsonFormat, markdownFormat, sarifFormat];
