#!/usr/bin/env python3
"""Checks that a file that uses a name of the standard library has its header: included by itself, or by a header of
Winnow's that it includes. Compilers do not say so where another standard header brings it.
Usage: tools/std_includes.py FILE…; exits 1 if a header is missing."""
import functools
import os
import re
import sys

# A header, and the names that need it. A name that stands nowhere here is not checked.
HEADERS = {
    'algorithm': 'all_of any_of binary_search clamp copy copy_if count count_if equal fill find find_if for_each '
                 'includes is_sorted lower_bound max max_element merge min min_element minmax nth_element partial_sort '
                 'partition partition_point push_heap pop_heap make_heap remove_if replace reverse rotate search shuffle '
                 'sort stable_sort transform unique upper_bound equal_range set_difference set_intersection set_union',
    'array': 'array to_array',
    'atomic': 'atomic atomic_flag memory_order memory_order_relaxed memory_order_acquire memory_order_release '
              'atomic_ref atomic_bool memory_order_acq_rel memory_order_seq_cst',
    'bit': 'bit_cast bit_ceil bit_width countr_zero countl_zero has_single_bit popcount rotl',
    'charconv': 'from_chars to_chars from_chars_result',
    'chrono': 'chrono chrono_literals',
    'cmath': 'isfinite isnan llround lround floor ceil sqrt pow log log2 exp fabs round trunc fmod nextafter',
    'compare': 'strong_ordering weak_ordering partial_ordering',
    'condition_variable': 'condition_variable condition_variable_any cv_status',
    'deque': 'deque',
    'exception': 'exception exception_ptr current_exception rethrow_exception terminate uncaught_exceptions',
    'expected': 'expected unexpected unexpect',
    'filesystem': 'filesystem',
    'format': 'format format_to vformat format_string',
    'fstream': 'ifstream ofstream fstream',
    'functional': 'function move_only_function hash less greater equal_to plus invoke bind_front ref cref '
                  'reference_wrapper',
    'iterator': 'back_inserter make_move_iterator istreambuf_iterator ostream_iterator inserter',
    'limits': 'numeric_limits',
    'list': 'list',
    'map': 'map multimap',
    'memory': 'unique_ptr shared_ptr weak_ptr make_unique make_shared addressof enable_shared_from_this allocator '
              'construct_at destroy_at to_address',
    'mutex': 'mutex recursive_mutex timed_mutex lock_guard unique_lock scoped_lock once_flag call_once try_to_lock defer_lock',
    'new': 'bad_alloc nothrow align_val_t hardware_destructive_interference_size launder',
    'numbers': 'numbers',
    'numeric': 'accumulate iota reduce inner_product partial_sum gcd midpoint',
    'optional': 'optional nullopt make_optional nullopt_t',
    'random': 'mt19937 mt19937_64 uniform_int_distribution random_device bernoulli_distribution uniform_real_distribution '
              'minstd_rand discrete_distribution',
    'ranges': 'views',
    'set': 'set multiset',
    'shared_mutex': 'shared_mutex shared_lock shared_timed_mutex',
    'span': 'span as_bytes dynamic_extent',
    'sstream': 'ostringstream istringstream stringstream',
    'stdexcept': 'runtime_error logic_error invalid_argument out_of_range length_error overflow_error',
    'stop_token': 'stop_token stop_source stop_callback',
    'string': 'string to_string stoi stoll stoull getline string_literals char_traits',
    'string_view': 'string_view string_view_literals',
    'system_error': 'error_code errc generic_category system_error make_error_code error_category',
    'thread': 'thread jthread this_thread',
    'tuple': 'tuple tie make_tuple forward_as_tuple apply',
    'type_traits': 'is_same_v decay_t remove_cvref_t enable_if_t is_base_of_v is_nothrow_move_constructible_v conditional_t '
                   'underlying_type_t is_enum_v is_integral_v is_trivially_copyable_v true_type false_type invoke_result_t '
                   'is_invocable_v is_floating_point_v make_unsigned_t',
    'typeinfo': 'type_info',
    'unordered_map': 'unordered_map unordered_multimap',
    'unordered_set': 'unordered_set unordered_multiset',
    'utility': 'pair make_pair exchange to_underlying in_place index_sequence cmp_less',
    'variant': 'variant visit get_if holds_alternative monostate variant_alternative_t',
    'vector': 'vector',
}
HEADER_OF = {name: header for header, names in HEADERS.items() for name in names.split()}
# What the standard says that a header brings.
BRINGS = {'charconv': {'system_error'}, 'chrono': {'compare'}, 'map': {'compare'}, 'string': {'compare'},
          'optional': {'compare'}}


@functools.lru_cache(None)
def reached(path):
    """The standard headers of a file and of the project's headers that it includes."""
    found = set()
    with open(path) as file:
        for line in file:
            if standard := re.match(r'#include <([a-z_]+)>', line):
                found |= {standard[1]} | BRINGS.get(standard[1], set())
            elif (own := re.match(r'#include "(.*)"', line)) and os.path.exists(own[1]):
                found |= reached(own[1])
    return found


def used(path):
    with open(path) as file:
        text = re.sub(r'//.*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', '', file.read())
    names = set(re.findall(r'\bstd::(\w+)', text))
    return {name for name in names if name in HEADER_OF}, 'std::ranges::' in text


missing = 0
for path in sys.argv[1:]:
    names, ranges = used(path)
    there = reached(path)
    for name in sorted(names):
        if HEADER_OF[name] not in there:
            print(f'{path}: std::{name} needs <{HEADER_OF[name]}>')
            missing += 1
    if ranges and not there & {'ranges', 'algorithm', 'numeric', 'iterator', 'functional', 'memory'}:
        print(f'{path}: std::ranges needs <algorithm> or <ranges>')
        missing += 1
sys.exit(missing != 0)
