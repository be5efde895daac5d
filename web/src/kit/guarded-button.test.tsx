import { describe, expect, it, vi } from 'vitest';
import type { Session } from '../../../src/entry/server/api/access.ts';
import { basePathOf } from '../data/base-path.ts';
import { renderInApp } from '../testing/render-in-app.tsx';
import { GuardedButton } from './guarded-button.tsx';

const session = (role: Session['role'], run: boolean): Session => ({
  role,
  tokenName: 'ann',
  may: { review: true, run, edit: false, configure: false },
});

describe('a button for a role', () => {
  it('says which role it needs, and does nothing', async () => {
    const onClick = vi.fn();
    const answers = { 'GET /api/session': session('reviewer', false) };
    const { findByRole, user } = await renderInApp(
      () => (
        <GuardedButton needs="run" onClick={onClick}>
          Run
        </GuardedButton>
      ),
      { answers },
    );
    const name = 'Run (Needs the role runner; your token has the role reviewer)';
    await user.click(await findByRole('button', { name }));
    expect(onClick).not.toHaveBeenCalled();
  });

  it('is as usual for a token with the role, and where the server has no roles', async () => {
    for (const answers of [{ 'GET /api/session': session('runner', true) }, {}]) {
      const { findByRole, unmount } = await renderInApp(() => <GuardedButton needs="run">Run</GuardedButton>, {
        answers,
      });
      expect((await findByRole('button', { name: 'Run' })).hasAttribute('disabled')).toBe(false);
      unmount();
    }
  });
});

describe('the base path of a page', () => {
  it('is that of its project', () => {
    expect(['/', '/runs', '/projects/a-b/runs/r', '/projects/a', '/projects'].map(basePathOf)).toEqual([
      '',
      '',
      '/projects/a-b',
      '/projects/a',
      '',
    ]);
  });
});
