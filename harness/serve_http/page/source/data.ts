// What the server answers: tables by name, and what happens now.
export type Row = Record<string, any>;

export interface Table {
  title: string;
  sql: string;
  columns: string[];
  rows: Row[];
  truncated: boolean;
}

export interface PageData {
  page: string;
  tables: Record<string, Table>;
  store: string;
  program: string;
  agents: boolean;
  [detail: string]: any;
}

export class Refused extends Error {}

export function table_of(raw: any): Table {
  const rows = raw.rows.map((values: unknown[]) => {
    const row: Row = {};
    raw.columns.forEach((column: string, at: number) => { row[column] = values[at]; });
    return row;
  });
  return { ...raw, rows };
}

export function page_data(found: any): PageData {
  const tables: Record<string, Table> = {};
  for (const [name, raw] of Object.entries(found.tables ?? {})) tables[name] = table_of(raw);
  return { ...found, tables };
}

export async function ask(path: string, signal?: AbortSignal): Promise<PageData> {
  const reply = await fetch(path, { signal: signal ?? null, headers: { Accept: 'application/json' } });
  let found: any;
  try {
    found = await reply.json();
  } catch {
    throw new Refused(`the server answered ${reply.status} without data`);
  }
  if (!reply.ok) throw new Refused(found.error ?? `the server answered ${reply.status}`);
  return page_data(found);
}

export interface Flight { attempt: number; kernel: string; variant: string; config: string; workload: string; purpose: string; node: string | null; age_s: number }
export interface Live {
  campaign: number; name: string | null; state: string; device: string; device_name: string; kernels: string[];
  phase: string | null; phase_s: number; phase_deadline_s: number | null; doing: string | null; doing_s: number;
  in_flight: Flight[]; spent_s: number; budget_s: number | null; spent_usd: number | null; max_cost_usd: number | null;
  iterations: number; outcomes: Record<string, number>; workloads: number; speedup: number | null; told_s: number;
  best: { kernel: string; workload: string; variant: string; time_ns: number; speedup: number; confirmed: boolean }[];
  decision: { kernel: string; workload: string; technique: string; why: string; closed: boolean } | null;
  last: { iteration: number; kernel: string; variant: string; config: string; workload: string; outcome: string; time_ns: number | null } | null;
}
export interface Moment { live: Live[]; newest: Record<string, number | null>; error?: string; at: number }

type Listener = (moment: Moment) => void;

/// One stream a browser: the tab that holds the lock has it and tells the others. Where there are no locks, or the
/// server has no room for one more stream, a tab asks every two seconds.
export class LiveFeed {
  latest: Moment | null = null;
  state: 'live' | 'polling' | 'lost' = 'lost';
  private listeners = new Set<Listener>();
  private channel = 'BroadcastChannel' in window ? new BroadcastChannel('harness-live') : null;
  private source: EventSource | null = null;
  private timer = 0;

  start(): void {
    this.channel?.addEventListener('message', (event) => this.take(event.data.text, event.data.state, false));
    void this.poll();
    document.addEventListener('visibilitychange', () => { if (!document.hidden) void this.poll(); });
    if (navigator.locks && this.channel)
      void navigator.locks.request('harness-live', () => new Promise<void>(() => this.listen()));
    else this.listen();
  }

  on(listener: Listener): () => void {
    this.listeners.add(listener);
    if (this.latest) listener(this.latest);
    return () => this.listeners.delete(listener);
  }

  private listen(): void {
    this.source = new EventSource('/live');
    this.source.onmessage = (event) => this.take(event.data, 'live', true);
    this.source.onerror = () => {
      this.state = 'lost';
      this.tell();
      if (this.source?.readyState === EventSource.CLOSED) this.source = null;
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.poll(), 2000);
    };
  }

  private async poll(): Promise<void> {
    window.clearTimeout(this.timer);
    if (this.source?.readyState === EventSource.OPEN && this.latest) return;
    try {
      const reply = await fetch('/live.json');
      if (!reply.ok) throw new Error(String(reply.status));
      this.take(await reply.text(), 'polling', false);
    } catch {
      this.state = 'lost';
      this.tell();
    }
    if (!document.hidden && this.state !== 'live') this.timer = window.setTimeout(() => void this.poll(), 2000);
  }

  private take(text: string, state: 'live' | 'polling', pass_on: boolean): void {
    if (pass_on) this.channel?.postMessage({ text, state });
    this.state = state;
    if (state === 'live') window.clearTimeout(this.timer);
    const found = JSON.parse(text);
    this.latest = { live: found.live ?? this.latest?.live ?? [], newest: found.newest ?? this.latest?.newest ?? {}, error: found.error, at: performance.now() };
    this.tell();
  }

  private tell(): void {
    if (this.latest) for (const listener of [...this.listeners]) listener(this.latest);
  }
}

export const feed = new LiveFeed();
