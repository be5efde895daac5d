import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronRight, Info, type LucideIcon, RotateCw, TriangleAlert } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useId } from 'react';
import { ApiFailure } from '../data/api.ts';
import { Button } from './button.tsx';
import { classes } from './classes.ts';
import { WithCode } from './code.tsx';

/** A step on the way to a page; the last ones may have no link. */
export interface Breadcrumb {
  readonly label: string;
  readonly to?: LinkProps['to'];
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, unknown>>;
}

/** The way back to all runs. */
export const allRuns = { label: 'Runs', to: '/runs' } as const satisfies Breadcrumb;

/** The layout of every page; sets the title of the browser tab too. */
export function Page({
  title,
  heading,
  subtitle,
  actions,
  breadcrumbs = [],
  children,
}: {
  title: string;
  /** Shown instead of the title where that is more than a text. */
  heading?: ReactNode;
  subtitle?: ReactNode;
  actions?: ReactNode;
  breadcrumbs?: readonly Breadcrumb[];
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Assay`;
  }, [title]);
  return (
    <div className="mx-auto w-full max-w-[1400px] px-4 pt-4 pb-16 sm:px-6">
      {breadcrumbs.length > 0 && (
        <Breadcrumbs steps={isReport ? breadcrumbs.filter((step) => step !== allRuns) : breadcrumbs} />
      )}
      <header className="mb-4 flex min-h-9 flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h1 className="text-xl font-semibold">{heading ?? title}</h1>
          {subtitle !== undefined && <div className="mt-0.5 text-sm text-muted">{subtitle}</div>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div className="flex flex-col gap-4">{children}</div>
    </div>
  );
}

function Breadcrumbs({ steps }: { steps: readonly Breadcrumb[] }) {
  return (
    <nav aria-label="Breadcrumb" className="mb-1">
      <ol className="flex flex-wrap items-center gap-1 text-xs text-muted">
        {steps.map((step, index) => (
          <li key={step.label} className="flex items-center gap-1">
            {index > 0 && <ChevronRight size={12} aria-hidden />}
            {step.to === undefined ? step.label : <BreadcrumbLink step={step} />}
          </li>
        ))}
      </ol>
    </nav>
  );
}

function BreadcrumbLink({ step }: { step: Breadcrumb }) {
  const place = { to: step.to, params: step.params ?? {}, search: step.search ?? {} } as LinkProps;
  return (
    <Link {...place} className="rounded hover:text-ink hover:underline">
      {step.label}
    </Link>
  );
}

/** A part of a page with its title and what can be done there. */
export function Card({
  title,
  icon: Icon,
  actions,
  children,
  isFlush = false,
  isColumn = false,
}: {
  title?: ReactNode;
  icon?: LucideIcon;
  actions?: ReactNode;
  children: ReactNode;
  /** Its content reaches the edges, as tables do. */
  isFlush?: boolean;
  /** Its parts stand one below the other with some space between them. */
  isColumn?: boolean;
}) {
  const id = useId();
  return (
    <section
      aria-labelledby={title === undefined ? undefined : id}
      className="min-w-0 rounded-lg border border-line bg-surface"
    >
      {(title !== undefined || actions !== undefined) && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 gap-y-1 border-b border-line px-4 py-1.5">
          <h2 id={id} className="text-sm font-semibold">
            {Icon ? (
              <span className="flex flex-wrap items-center gap-2">
                <Icon size={15} aria-hidden className="text-accent" /> {title}
              </span>
            ) : (
              title
            )}
          </h2>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </div>
      )}
      <div className={classes(!isFlush && 'p-4', isColumn && 'flex flex-col gap-3')}>{children}</div>
    </section>
  );
}

/** Says that there is nothing yet, and what to do about it. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-10 text-center">
      {icon !== undefined && (
        <span aria-hidden className="mb-1 rounded-full bg-raised p-3 text-muted">
          {icon}
        </span>
      )}
      <p className="text-base font-semibold">{title}</p>
      {children !== undefined && <div className="max-w-prose text-muted">{children}</div>}
      {action !== undefined && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** The same as a part of a page. */
export function EmptyCard(props: ComponentProps<typeof EmptyState>) {
  return (
    <Card>
      <EmptyState {...props} />
    </Card>
  );
}

/** An error: what happened, where, and what to do. */
export function ErrorView({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const failure = error instanceof ApiFailure ? error : null;
  const message = error instanceof Error ? error.message : String(error);
  return (
    <div role="alert" className="flex gap-3 rounded-lg border border-fail/40 bg-fail-ground p-4">
      <TriangleAlert size={18} aria-hidden className="mt-0.5 shrink-0 text-fail" />
      <div className="flex min-w-0 flex-col items-start gap-1.5">
        <p className="font-medium">
          <WithCode text={message} />
        </p>
        {failure?.hint && (
          <p className="text-muted">
            <WithCode text={failure.hint} />
          </p>
        )}
        {failure !== null && failure.problems.length > 0 && (
          <ul className="list-disc pl-4 font-mono text-xs">
            {failure.problems.map((problem) => (
              <li key={`${problem.file}:${problem.line}:${problem.column}:${problem.message}`}>
                {problem.file}:{problem.line}:{problem.column} <WithCode text={problem.message} />
                {problem.hint && (
                  <span className="block text-muted">
                    <WithCode text={problem.hint} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        )}
        {!isReport && failure?.status === 404 && (
          <Link to="/runs" className="text-accent underline underline-offset-2">
            All runs
          </Link>
        )}
        {onRetry !== undefined && (
          <Button size="sm" icon={<RotateCw size={13} aria-hidden />} onClick={onRetry}>
            Try again
          </Button>
        )}
      </div>
    </div>
  );
}

/** Holds the place of what is being loaded. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3">
      {Array.from({ length: lines }, (_, index) => (
        <div
          key={`line-${index + 1}`}
          className={`h-4 animate-pulse rounded bg-raised ${widths[index % widths.length]}`}
        />
      ))}
    </div>
  );
}

const widths = ['w-11/12', 'w-9/12', 'w-10/12', 'w-7/12'];

/** Short texts one below the other. */
export function Bullets({ texts, label }: { texts: readonly string[]; label?: string }) {
  if (texts.length === 0) return null;
  return (
    <ul aria-label={label} className="list-disc pl-5 text-muted">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

/** Something that is good to know beside the results. */
export function Remark({ tone, children }: { tone: 'info' | 'warn'; children: ReactNode }) {
  const Icon = tone === 'warn' ? TriangleAlert : Info;
  return (
    <div
      className={classes(
        'flex gap-2 rounded-md px-3 py-2 text-sm',
        tone === 'warn' ? 'bg-error-ground text-ink' : 'bg-raised text-ink',
      )}
    >
      <Icon
        size={15}
        aria-hidden
        className={classes('mt-0.5 shrink-0', tone === 'warn' ? 'text-error' : 'text-muted')}
      />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
