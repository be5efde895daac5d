import { Link, type LinkProps } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';

/** A step on the way to a page; the last ones may have no link. */
export interface Breadcrumb {
  readonly label: string;
  readonly to?: LinkProps['to'];
  readonly params?: Readonly<Record<string, string>>;
  readonly search?: Readonly<Record<string, unknown>>;
}

/** What every page is made of; names the browser's tab too. */
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
      {breadcrumbs.length > 0 && <Breadcrumbs steps={breadcrumbs} />}
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
