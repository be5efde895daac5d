import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { run } from '../../entry/cli/commands/run/run.ts';
import { reporters } from './index.ts';

describe('reporters', () => {
  it('are named once, and write into their own files', () => {
    expect(new Set(reporters.map(({ name }) => name)).size).toBe(reporters.length);
    expect(new Set(reporters.map(({ fileName }) => fileName)).size).toBe(reporters.length);
  });

  it('are all named in the help of `assay run`', () => {
    const command = new Command();
    run.configure(command);
    const { description = '' } = command.options.find(({ long }) => long === '--reporter') ?? {};
    expect(description.split(': ')[1]?.split(', ')).toEqual(reporters.map(({ name }) => name));
  });
});
