#!/usr/bin/env python3
"""check_chrome.py FILE: reads a trace in Chrome's JSON form by the rules of the Trace Event Format and as Perfetto's reader
does (src/trace_processor/importers/json of Perfetto): events in the order of their times, ends that match the phase begun
last, counters by name and argument. Prints phases, marks and counters; what breaks a rule is an error."""
import json
import sys

PHASES = 'BEiCM'


def fail(event, why):
    sys.exit('%s: %s' % (why, json.dumps(event)))


def need(event, ok, why):
    if not ok:
        fail(event, why)


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def check_event(e):
    need(e, isinstance(e, dict), 'no object')
    need(e, e.get('ph') in list(PHASES), 'unknown phase')
    need(e, isinstance(e.get('name'), str) and e['name'], 'no name')
    for key in 'pid', 'tid':
        need(e, isinstance(e.get(key), int) and 0 <= e[key] < 1 << 32, 'no ' + key)
    if e['ph'] != 'M':
        need(e, is_number(e.get('ts')) and e['ts'] >= 0, 'no time')
    if e['ph'] == 'i':
        need(e, e.get('s') in ('t', 'p', 'g'), 'a mark without scope')
    if e['ph'] == 'C':
        args = e.get('args')
        need(e, isinstance(args, dict) and args and all(map(is_number, args.values())),
             'a counter needs numbers')
    if e['ph'] == 'M':
        need(e, e['name'] in ('process_name', 'thread_name'), 'unknown metadata')
        need(e, isinstance(e.get('args', {}).get('name'), str) and e['args']['name'],
             'metadata without a name')


def read(events):
    """Lines that tell what a viewer shows."""
    for e in events:
        check_event(e)
    names, open_, slices, counters = {}, {}, [], {}
    for e in events:
        if e['ph'] == 'M':
            names[e['name'], e['tid'] if e['name'] == 'thread_name' else e['pid']] = e['args']['name']
    for e in sorted((e for e in events if e['ph'] != 'M'), key=lambda e: e['ts']):  # stable
        stack = open_.setdefault((e['pid'], e['tid']), [])
        if e['ph'] == 'B':
            stack.append(e)
        elif e['ph'] == 'E':
            need(e, stack and stack[-1]['name'] == e['name'], 'an end without its begin')
            begin = stack.pop()
            slices.append((begin['ts'], e['ts'] - begin['ts'], e['tid'], len(stack), e['name']))
        elif e['ph'] == 'i':
            slices.append((e['ts'], 0, e['tid'], len(stack), e['name']))
        else:
            for key, value in e['args'].items():
                counters.setdefault(e['name'] + ' ' + key, []).append((e['ts'], value))
    for stack in open_.values():
        for e in stack:
            fail(e, 'a phase without an end')
    for (kind, _), name in sorted(names.items()):
        yield '%s: %s' % (kind, name)
    for ts, dur, tid, depth, name in sorted(slices, key=lambda s: (s[2], s[0], s[3])):
        yield 'thread %d, depth %d: %s from %g for %g' % (tid, depth, name, ts, dur)
    for name, points in counters.items():
        need(name, all(a[0] < b[0] for a, b in zip(points, points[1:])), 'two values at a time')
        yield 'counter %s: %d values, sum %g' % (name, len(points), sum(v for _, v in points))


def main():
    data = json.load(open(sys.argv[1], encoding='utf-8'))
    need('file', isinstance(data, dict) and isinstance(data.get('traceEvents'), list), 'no traceEvents')
    print('\n'.join(read(data['traceEvents'])))


main()
