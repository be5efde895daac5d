import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { looksLikeLlmToolTest } from './llm-tool-test-format.ts';

describe('a file is taken for a scenario of llm-tool-test', () => {
  it.each([
    '{ name: a, target: { binary: x }, task: { prompt: y }, evaluation: { gates: [] } }',
    '{ name: a, target: from_config, task: y, gates: [] }',
    '{ name: a, task: y, evaluation: { gates: [] } }',
    '{ target: { binary: x }, template_folder: t }',
    '{ name: a, target: { binary: x }, taks: y, evaluators: [] }',
    '{ name: a, taget: x, task: y }',
    '{ name: a, taget: x, taks: y, evaluaton: {} }',
    '{ name: a, evaluators: [], target: { binary: x }, task: y, gates: [] }',
    '{ tool_matrix: [], task: y }',
  ])('%s', (text) => {
    expect(looksLikeLlmToolTest(parse(text))).toBe(true);
  });
});

describe('a file is left alone', () => {
  it.each([
    '{ name: a, call: { module: ./x.mjs }, input: {}, target: x, task: y, evaluation: {} }',
    '{ name: a, cal: { module: ./x.mjs }, cases: [], tags: [], evaluators: [] }',
    '{ name: a, input: {}, evaluators: [], dataset: x.csv, tags: [], cases: [] }',
    '{ criteria: [{ id: a, weight: 1, description: x }], output: { format: json } }',
    '{ version: 3, tasks: { build: {} }, vars: {} }',
    '{ name: pkg, scripts: { test: x }, tags: [] }',
    '{ target: es2022, module: nodenext }',
    '[target, task, evaluation]',
    'text',
    '~',
    '',
  ])('%s', (text) => {
    expect(looksLikeLlmToolTest(parse(text))).toBe(false);
  });
});
