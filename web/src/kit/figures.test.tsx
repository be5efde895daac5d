import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { OutcomeBadge, StatusBadge } from './badge.tsx';
import { Count, Duration, Money, OutcomeBar, Percent } from './figures.tsx';

afterEach(cleanup);

describe('figures', () => {
  it('show a dash, and not 0, for an unknown figure', () => {
    const { container } = render(
      <>
        <Duration ms={null} />
        <Money usd={null} />
        <Percent value={null} />
        <Count value={null} />
      </>,
    );
    expect(container.textContent).toBe('––––');
  });

  it('show 0 for a figure that is 0', () => {
    const { container } = render(<Count value={0} />);
    expect(container.textContent).toBe('0');
    expect(render(<Percent value={0} />).container.textContent).toMatch(/^0/);
  });
});

describe('an outcome', () => {
  it('is shown as a word, not by colour alone', () => {
    const { getByText } = render(
      <>
        <OutcomeBadge outcome="pass" />
        <OutcomeBadge outcome="fail" />
        <OutcomeBadge outcome="error" />
        <OutcomeBadge outcome="skipped" />
      </>,
    );
    for (const outcome of ['pass', 'fail', 'error', 'skipped']) expect(getByText(outcome)).toBeTruthy();
  });

  it('of a run that is not live and never finished is interrupted', () => {
    expect(render(<StatusBadge status="running" isLive={false} />).container.textContent).toBe('interrupted');
    expect(render(<StatusBadge status="running" isLive />).container.textContent).toBe('running');
    expect(render(<StatusBadge status="finished" isLive={false} />).container.textContent).toBe('finished');
  });

  it('bar says its numbers to screen readers', () => {
    const totals = { planned: 10, pass: 4, fail: 3, error: 1, skipped: 0, notRun: 2 };
    const { getByRole } = render(<OutcomeBar totals={totals} />);
    expect(getByRole('img').getAttribute('aria-label')).toBe('4 pass, 3 fail, 1 error, 2 not run of 10 trials');
  });
});
