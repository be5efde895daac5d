import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replacedAcross, TrialPaths } from '../../tape/trial-paths.ts';
import { requestNormaliser } from './normalise-request.ts';
import { volatileFields, volatileTexts } from './volatile-parts.ts';

/** Rows of its tables, without the spaces that align them. */
const guideRows = readFileSync(new URL('../../../../docs/guides/replay.md', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.replace(/ +/g, ' '));
const paths = new TrialPaths({ work: '/tmp/room-1/work', trial: '/tmp/room-1' });
const normalise = requestNormaliser({
  paths,
  redact: (text) => text.replaceAll('sk-secret', '[key]'),
  agentVersion: 'agent 2.1.197 (build 5)',
});

describe('rules for texts that differ from run to run', () => {
  it.each(volatileTexts)('replace a $name, once, as the guide says', ({ name, pattern, becomes, example }) => {
    const replaced = example.replace(pattern, becomes);
    expect(replaced).not.toBe(example);
    expect(replaced.replace(pattern, becomes)).toBe(replaced);
    expect(guideRows).toContain(`| ${name} | \`${example}\` | \`${replaced}\` |`);
  });

  it('are all in the guide, with the fields that are left out', () => {
    for (const { key, where, reason } of volatileFields) {
      const place = where === 'top' ? 'at the top of the request' : where;
      expect(guideRows).toContain(`| \`${key}\` | ${place} | ${reason} |`);
    }
  });

  it('leave versions, counts, sizes and words as they are', () => {
    const texts = [
      'v1.2.3',
      '3 tasks, 4096 bytes',
      'exit code 2',
      'at 10:15',
      'node 20.19',
      'deadbeef',
      'in 30 seconds',
    ];
    expect(normalise(texts)).toEqual(texts);
  });
});

describe('a normalised request', () => {
  it('names folders, and has no secret, version of the agent or mark of a session', () => {
    const request = {
      metadata: { user_id: 'u' },
      system: [{ type: 'text', text: 'Agent 2.1.197 in /tmp/room-1/work', cache_control: { type: 'ephemeral' } }],
      messages: [
        { metadata: 'kept', content: 'See /tmp/room-1/work/a.txt, /tmp/room-1/log, -tmp-room-1-work; sk-secret' },
      ],
      sentAt: 1_772_360_130_123,
    };
    expect(normalise(request)).toEqual({
      system: [{ type: 'text', text: 'Agent <agent version> in <assay:work>' }],
      messages: [
        { metadata: 'kept', content: 'See <assay:work>/a.txt, <assay:trial>/log, <assay:work:dashed>; [key]' },
      ],
      sentAt: '<time>',
    });
  });

  it('leaves folders alone whose names only begin like one of the trial', () => {
    expect(normalise('/tmp/room-12 /tmp/room-1-old /tmp/room-1/workshop')).toBe(
      '/tmp/room-12 /tmp/room-1-old <assay:trial>/workshop',
    );
  });
});

describe('a text in pieces', () => {
  it('has a path replaced wherever it is divided', () => {
    const text = 'cat /tmp/room-1/work/a.txt /tmp/room-1/b';
    for (let at = 0; at <= text.length; at++) {
      const pieces = [text.slice(0, at), '', text.slice(at)];
      const named = replacedAcross(pieces, paths.toNames);
      expect(named).toHaveLength(3);
      expect(named.join('')).toBe('cat <assay:work>/a.txt <assay:trial>/b');
      expect(replacedAcross(named, paths.toFolders).join('')).toBe(text);
    }
  });
});
