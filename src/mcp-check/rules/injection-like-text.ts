import { textsOf } from '../listed-server.ts';
import type { Finding, Rule } from '../rule.ts';

const suspicious: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|other|all|any|system)\b[^.\n]{0,20}\b(?:instructions?|prompts?|rules|messages|guidelines)\b/i,
  /\b(?:do not|don't|never|without)\b[^.\n]{0,20}\b(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|notify(?:ing)?|show(?:ing)?|alert(?:ing)?|ask(?:ing)?)\b[^.\n]{0,25}\bthe user\b/i,
  /<\s*\/?\s*(?:important|system|instructions?|secret|hidden|admin)\s*>/i,
  /\b(?:before|instead of) (?:using|calling|invoking) (?:any|all|every) other tools?\b/i,
  /\b(?:your|the) system prompt\b/i,
  /\byou are now\b[^.\n]{0,40}\b(?:mode|assistant|agent|admin)\b/i,
  /<!--[\s\S]{0,2000}?-->/,
];
const shownCharacters = 120;
/** What is longer is told for its length. */
const mostCharacters = 50_000;

/** Texts in definitions that give orders to the model instead of describing a tool. */
export const injectionLikeText: Rule = {
  id: 'injection-like-text',
  severity: 'warning',
  summary: 'A description reads like an attempt to steer the model',
  why: 'Clients and scanners refuse such servers, and models follow such text whatever the user wanted.',
  fix: 'Describe what the tool does; leave it to the client and the user what the model may do and say.',
  check: (server) =>
    textsOf(server).flatMap(({ tools, text }): Finding[] => {
      const found = suspicious
        .map((pattern) => pattern.exec(text.slice(0, mostCharacters))?.[0])
        .find((match) => match !== undefined);
      return found === undefined ? [] : [{ message: `"${found.slice(0, shownCharacters)}"`, tools }];
    }),
};
