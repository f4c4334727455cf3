// Outcomes: a glyph and a word, never colour alone.
import { h } from './dom';

interface Look { glyph: string; word: string; tone: string }

const kLooks: Record<string, Look> = {
  passed: { glyph: '✓', word: 'passed', tone: 'good' },
  screened: { glyph: '◦', word: 'screened', tone: 'calm' },
  abandoned: { glyph: '◦', word: 'abandoned', tone: 'calm' },
  no_effect: { glyph: '=', word: 'no effect', tone: 'calm' },
  unsupported: { glyph: '∅', word: 'unsupported', tone: 'calm' },
  compile_error: { glyph: '#', word: 'compile error', tone: 'warn' },
  launch_error: { glyph: '!', word: 'launch error', tone: 'warn' },
  out_of_memory: { glyph: '!', word: 'out of memory', tone: 'warn' },
  timed_out: { glyph: '⋯', word: 'timed out', tone: 'warn' },
  crashed: { glyph: '✕', word: 'crashed', tone: 'bad' },
  wrong_answer: { glyph: '≠', word: 'wrong answer', tone: 'bad' },
  rejected: { glyph: '⊘', word: 'rejected', tone: 'bad' },
  lost: { glyph: '?', word: 'lost', tone: 'warn' },
  interrupted: { glyph: '‖', word: 'interrupted', tone: 'calm' },
};

export function look(outcome: string): Look {
  return kLooks[outcome] ?? { glyph: '·', word: outcome, tone: 'calm' };
}

export function outcome(name: string): HTMLElement {
  const { glyph, word, tone } = look(name);
  return h('span', { class: `outcome ${tone}`, title: word }, h('i', { 'aria-hidden': 'true' }, glyph), h('span', { class: 'word' }, word));
}

export function verdict(name: string | null): HTMLElement | string {
  if (!name) return '';
  const glyph = name === 'faster' ? '▲' : name === 'slower' ? '▼' : '=';
  return h('span', { class: `verdict ${name}`, title: name }, glyph, ' ', h('span', { class: 'word' }, name));
}
