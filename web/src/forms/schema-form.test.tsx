import { useState } from 'react';
import { describe, expect, it } from 'vitest';
import { changedValue, type DocumentChange } from '../../../src/shared/document-edit/document-change.ts';
import { renderInApp } from '../testing/render-in-app.tsx';
import { readForm } from './read-form.ts';
import { SchemaForm } from './schema-form.tsx';

const form = readForm({
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    repeat: { type: 'integer', minimum: 1, maximum: 10 },
    isolated: { type: 'boolean', default: false },
    tags: { type: 'array', items: { type: 'string' } },
    files: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'repeat', 'isolated', 'tags', 'files'],
  additionalProperties: false,
});

type Problems = Parameters<typeof SchemaForm>[0]['problems'];

const server = readForm({
  anyOf: [
    {
      type: 'object',
      properties: { transport: { const: 'stdio' }, command: { type: 'string' } },
      required: ['command'],
    },
    {
      type: 'object',
      properties: { transport: { const: 'shttp' }, url: { type: 'string' }, oauth: { type: 'string' } },
      required: ['url'],
    },
  ],
});

function Form({ edits, start, problems }: { edits: DocumentChange[]; start: unknown; problems: Problems }) {
  const [value, setValue] = useState(start);
  const onChange = (change: DocumentChange): void => {
    edits.push(change);
    setValue((before: unknown) => changedValue(before, change));
  };
  return <SchemaForm field={form} value={value} problems={problems} onChange={onChange} />;
}

/** A form with the changes that it makes, and the value after them. */
async function renderForm(start: unknown, problems: Problems = []) {
  const changes: DocumentChange[] = [];
  const screen = await renderInApp(() => <Form edits={changes} start={start} problems={problems} />);
  return { ...screen, changes, value: () => changes.reduce(changedValue, start) };
}

const good = { name: 'Search', repeat: 2, isolated: false, tags: ['smoke', 'slow'], files: ['a', 'b'] };

describe('a form with many settings', () => {
  const words = ['one', 'two', 'three', 'four', 'five'];
  const many = readForm({
    type: 'object',
    properties: {
      ...Object.fromEntries(words.map((name) => [name, { type: 'string', description: `about ${name}` }])),
      server: { type: 'object', properties: { port: { type: 'integer' } }, required: ['port'] },
      last: { type: 'string' },
    },
    required: ['last'],
    additionalProperties: false,
  });

  it('has the required ones first, then those in use, and adds others by a search', async () => {
    const edits: DocumentChange[] = [];
    const Shown = () => {
      const [value, setValue] = useState<unknown>({ three: 'x' });
      const onChange = (change: DocumentChange): void => {
        edits.push(change);
        setValue((before: unknown) => changedValue(before, change));
      };
      return <SchemaForm field={many} value={value} problems={[]} onChange={onChange} />;
    };
    const screen = await renderInApp(() => <Shown />);
    const { findByRole, findByLabelText, getAllByRole, user } = screen;
    await findByLabelText(/^Last/);
    const names = () => getAllByRole('textbox').map((box) => box.closest('[data-field]')?.getAttribute('data-field'));
    expect(names()).toEqual(['last', 'three']);
    const add = async (text: string): Promise<void> => {
      await user.click(await findByRole('button', { name: 'Add setting' }));
      await user.type(await findByLabelText('Search what can be added'), `${text}{Enter}`);
    };
    await add('about five');
    expect(await findByLabelText('Five')).toBe(document.activeElement);
    expect(edits).toEqual([]);
    await user.keyboard('v');
    expect(edits).toEqual([{ kind: 'set', path: ['five'], value: 'v' }]);
    await user.keyboard('{Backspace}');
    expect(names()).toEqual(['last', 'three', 'five']);
    await add('server');
    expect(edits.at(-1)).toEqual({ kind: 'set', path: ['server'], value: {} });
    await user.click(await findByRole('button', { name: 'Remove Server' }));
    expect(names()).toEqual(['last', 'three', 'five']);
  });
});

describe('the form of a schema', () => {
  it('changes a text at its path', async () => {
    const { findByLabelText, user, value } = await renderForm(good);
    const name = await findByLabelText(/^Name/);
    await user.clear(name);
    await user.type(name, 'Find');
    expect(value()).toEqual({ ...good, name: 'Find' });
  });

  it('writes numbers as numbers and switches as booleans', async () => {
    const { findByLabelText, getByRole, user, value } = await renderForm(good);
    const repeat = await findByLabelText(/^Repeat/);
    await user.clear(repeat);
    await user.type(repeat, '7');
    await user.click(getByRole('switch', { name: /^Isolated/ }));
    expect(value()).toMatchObject({ repeat: 7, isolated: true });
  });

  it('shows what is missing only after something was typed', async () => {
    const missing = async (isUntouched: boolean): Promise<number> => {
      const { findAllByRole, queryAllByText, unmount } = await renderInApp(() => (
        <SchemaForm field={form} value={{}} problems={[]} onChange={() => undefined} isUntouched={isUntouched} />
      ));
      await findAllByRole('textbox');
      const { length } = queryAllByText(/This is required/);
      unmount();
      return length;
    };
    expect(await missing(true)).toBe(0);
    expect(await missing(false)).toBeGreaterThan(0);
  });

  it('shows a number outside of its range as a problem', async () => {
    const { findByLabelText, container } = await renderForm({ ...good, repeat: 99 });
    const repeat = await findByLabelText(/^Repeat/);
    const described = repeat.getAttribute('aria-describedby') ?? '';
    const texts = described.split(' ').map((id) => container.querySelector(`[id="${id}"]`)?.textContent ?? '');
    expect(texts.join(' ')).toContain('10');
  });

  it('shows the problems of the server at their field', async () => {
    const { findByText } = await renderForm(good, [
      { path: ['name'], message: 'the name is taken', severity: 'error' },
    ]);
    expect(await findByText(/the name is taken/)).toBeTruthy();
  });

  it('does not show beside the chosen shape what has only one value in it', async () => {
    const value = { url: 'http://127.0.0.1/mcp' };
    const { findByLabelText, queryByLabelText } = await renderInApp(() => (
      <SchemaForm field={server} value={value} problems={[]} onChange={() => undefined} />
    ));
    expect(await findByLabelText(/^URL/)).toBeTruthy();
    expect(await findByLabelText(/^OAuth/)).toBeTruthy();
    expect(queryByLabelText(/^Transport/)).toBeNull();
  });

  it('adds and removes items of a list', async () => {
    const { findAllByRole, user, value, changes } = await renderForm(good);
    const remove = (await findAllByRole('button')).filter((button) =>
      /remove files/i.test(button.getAttribute('aria-label') ?? ''),
    );
    expect(remove).toHaveLength(2);
    await user.click(remove[0] as HTMLElement);
    expect(value()).toMatchObject({ files: ['b'] });
    expect(changes).toEqual([{ kind: 'remove', path: ['files', 0] }]);
  });

  it('has tags as chips: typed one after the other, each once, and removed', async () => {
    const { findByLabelText, getByRole, user, value } = await renderForm(good);
    const field = await findByLabelText('Add to Tags');
    await user.type(field, 'nightly{Enter}slow, smoke{Enter}new');
    expect(value()).toMatchObject({ tags: ['smoke', 'slow', 'nightly'] });
    await user.tab();
    expect(value(), 'what was typed last is kept').toMatchObject({ tags: ['smoke', 'slow', 'nightly', 'new'] });
    await user.click(getByRole('button', { name: 'Remove the tag slow' }));
    await user.type(field, '{Backspace}');
    expect(value()).toMatchObject({ tags: ['smoke', 'nightly'] });
  });

  it('shows tags that are not texts as a list', async () => {
    const { findAllByLabelText, queryByLabelText } = await renderForm({ ...good, tags: ['smoke', { a: 1 }] });
    expect(await findAllByLabelText(/^Tags 2/)).not.toHaveLength(0);
    expect(queryByLabelText('Remove the tag smoke')).toBeNull();
  });
});
