import { waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { NamedParts } from '../../../../src/entry/server/api/project.ts';
import { readForm } from '../../forms/read-form.ts';
import { renderInApp } from '../../testing/render-in-app.tsx';
import { PartEditor } from './part-editor.tsx';

const form = readForm({
  type: 'object',
  properties: { goal: { type: 'string', minLength: 1 } },
  required: ['goal'],
  additionalProperties: false,
});

const parts: NamedParts = {
  file: 'assay.config.yaml',
  revision: 'abc',
  isEditable: true,
  whyNot: null,
  schema: {},
  items: [{ name: 'ann', value: { goal: 'buy' } }],
};

function renderEditor(part: NamedParts['items'][number] | undefined, shown = parts, answers = {}) {
  return renderInApp(
    () => (
      <PartEditor
        parts={shown}
        part={part}
        address="/personas"
        topic="personas"
        noun="persona"
        startValue={{}}
        formOf={() => form}
      />
    ),
    { path: '/personas', answers },
  );
}

describe('the editor of a named part', () => {
  it('saves a changed part with the revision that was read', async () => {
    const saved = { ...parts, revision: 'def', items: [{ name: 'ann', value: { goal: 'sell' } }] };
    const answers = { 'PUT /api/personas/ann': saved };
    const { findByLabelText, getByRole, requests, user } = await renderEditor(parts.items[0], parts, answers);
    const save = getByRole('button', { name: 'Save' });
    expect(save.hasAttribute('disabled')).toBe(true);
    const goal = await findByLabelText(/^Goal/);
    await user.clear(goal);
    await user.type(goal, 'sell');
    await user.click(save);
    await waitFor(() => expect(requests).toHaveLength(1));
    expect(requests[0]).toMatchObject({ method: 'PUT', body: { value: { goal: 'sell' }, revision: 'abc' } });
  });

  it('refuses a name that is taken', async () => {
    const { findByLabelText, findByText, getByRole, user } = await renderEditor(undefined);
    await user.type(await findByLabelText(/^Name/), 'ann');
    await user.type(await findByLabelText(/^Goal/), 'look');
    expect(await findByText(/with this name already exists/)).toBeTruthy();
    expect(getByRole('button', { name: 'Save' }).hasAttribute('disabled')).toBe(true);
  });

  it('shows why the server refused', async () => {
    const { findByLabelText, findByText, getByRole, user } = await renderEditor(parts.items[0]);
    await user.type(await findByLabelText(/^Goal/), ' more');
    await user.click(getByRole('button', { name: 'Save' }));
    expect(await findByText('There is no such thing.')).toBeTruthy();
  });

  it('has no Save for a config that cannot be changed here', async () => {
    const { findByLabelText, queryByRole } = await renderEditor(parts.items[0], { ...parts, isEditable: false });
    await findByLabelText(/^Goal/);
    expect(queryByRole('button', { name: 'Save' })).toBeNull();
  });
});
